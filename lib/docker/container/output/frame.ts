/**
 * The length of what is before each part of an output of a container without a terminal: a byte for the stream, three
 * zero bytes, four for the length of the part.
 */
export const headerBytes = 8

/** The stream on which the engine itself says why it cannot go on; those of the program are 0, 1 and 2. */
export const engineStream = 3
