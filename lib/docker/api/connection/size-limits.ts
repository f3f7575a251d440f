/** The longest answer that is read as a whole, in bytes: a list of ten thousand containers has a quarter of that. */
export const mostAnswerBytes: number = 128 * 1024 * 1024
/** How much of a refusal is read, in bytes. */
export const mostRefusalBytes: number = 1024 * 1024
/** The longest line of a stream of events or of progress, in characters. */
export const mostLineCharacters: number = 4 * 1024 * 1024
/** The longest frame of a log, in bytes. An engine that keeps long lines in one piece keeps no more than a million. */
export const mostFrameBytes: number = 4 * 1024 * 1024

/** Returns the error of an engine that sends more than it may at once. */
export function tooMuch(what: string, most: number, unit: 'bytes' | 'characters'): Error {
  return new Error(`${what} has more than ${most} ${unit}`)
}
