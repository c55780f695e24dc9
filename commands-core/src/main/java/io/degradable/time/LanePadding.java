package io.degradable.time;

/** Keeps lanes apart: two threads that write into one line of the processor's cache slow each other down. */
abstract class LanePadding {
    long p1;
    long p2;
    long p3;
    long p4;
    long p5;
    long p6;
    long p7;
    long p8;
    long p9;
    long p10;
    long p11;
    long p12;
    long p13;
    long p14;
    long p15;
    long p16;
}
