import type { InstanceLine } from './change.ts'
import { type Difference, type Fault, isImageReplaced } from './diff.ts'
import type { LiveInstance, WantedInstance } from './instance.ts'

/** One line for each instance that is touched, with its reason (G7). */
export function instanceLines(difference: Difference, reason: string): readonly InstanceLine[] {
  const { service, faults, missing, surplus, kind } = difference
  const nameOf = ({ number }: LiveInstance | WantedInstance) => `${service}.${number}`
  const replaced = missing.map((wanted, index): InstanceLine => {
    const old = surplus[index]
    if (old === undefined)
      return { sign: '+', name: nameOf(wanted), reason: kind === 'drifted' ? 'was removed' : reason }
    return {
      sign: '-/+',
      name: nameOf(wanted),
      reason: old.containers.some(isImageReplaced) ? 'its image was replaced' : reason,
    }
  })
  const removed = surplus
    .slice(missing.length)
    .map((live): InstanceLine => ({ sign: '-', name: nameOf(live), reason }))
  const repaired = faults.map(
    (fault): InstanceLine => ({ sign: '~', name: nameOf(fault.live), reason: faultText(fault) }),
  )
  return [...repaired, ...replaced, ...removed]
}

/** What the world did to an instance, in words. */
export function faultText({ what }: Fault): string {
  switch (what.is) {
    case 'stopped':
      return what.exitCode === undefined ? 'never started' : `stopped (exit code ${what.exitCode})`
    case 'paused':
      return 'paused'
    case 'detached':
      return `detached from network ${what.network}`
  }
}
