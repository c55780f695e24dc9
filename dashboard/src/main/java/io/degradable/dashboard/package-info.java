/** The web page that shows the commands of one or more running instances. */
package io.degradable.dashboard;
