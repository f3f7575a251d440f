/** Returns the sum of a number of each of these values; 0 if there are none. */
export function sumOf<T>(values: Iterable<T>, numberOf: (value: T) => number): number {
  let sum = 0
  for (const value of values) sum += numberOf(value)
  return sum
}

/** Returns the largest of a number of each of these values; 0 if there is no larger one. */
export function largestOf<T>(values: Iterable<T>, numberOf: (value: T) => number): number {
  let largest = 0
  for (const value of values) largest = Math.max(largest, numberOf(value))
  return largest
}
