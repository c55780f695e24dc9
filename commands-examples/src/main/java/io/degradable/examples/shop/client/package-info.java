/**
 * How the shop asks the services it depends on, and the words it has for what they answer. Nobody in here limits a wait: that
 * is the business of the commands, and every call ends when its thread is interrupted.
 */
package io.degradable.examples.shop.client;
