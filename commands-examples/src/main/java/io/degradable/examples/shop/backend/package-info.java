/**
 * The world the shop depends on: six HTTP services on loopback that can be broken and healed while they run. They know
 * nothing of the library and share no code with the shop, as services elsewhere would not.
 */
package io.degradable.examples.shop.backend;
