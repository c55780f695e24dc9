/** What the shop's own routes share: JSON and problem answers, the routes of the faults, and the load that keeps it busy. */
package io.degradable.examples.shop.http;
