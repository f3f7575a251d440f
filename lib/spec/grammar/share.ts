import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/** Parses a number of instances, or a percentage of them: `1`, `25%` (H26). */
export function parseShare(share: string | number): Parsed<number | string> {
  if (typeof share === 'number')
    return Number.isInteger(share) && share >= 0 && share <= mostInstances
      ? parsed(share)
      : malformed(`${share} is not a whole number from 0 to ${mostInstances}`)
  const [, percent] = /^(\d{1,3})%$/.exec(share) ?? []
  return percent !== undefined && Number(percent) <= 100
    ? parsed(`${Number(percent)}%`)
    : malformed(`"${share}" is neither a number nor a percentage up to 100%`)
}

/** Whether a share stands for no instance at all. */
export function isNone(share: number | string): boolean {
  return share === 0 || share === '0%'
}

/** The most instances that one service may have. */
const mostInstances = 1000
