import { bytesText } from '../../../text/amount.ts'

/** Returns a limit of memory for people, without a loss. Less than nothing is what engines call none. */
export function memoryText(bytes: number): string {
  return bytes < 0 ? 'no limit' : bytesText(bytes)
}

/** Returns a limit of CPUs for people, without a loss: `0.5`. */
export function cpusText(nanoCpus: number): string {
  return String(nanoCpus / 1e9)
}
