import { parseDuration } from '../spec/grammar/duration.ts'
import { cronFault } from './cron.ts'

/** When to look at the repository. */
export type Poll = { readonly everyMs: number } | { readonly cron: string }

/** Reads a duration of at least one second or a cron expression; or returns why the text is neither. */
export function pollOf(text: string): Poll | { readonly reason: string } {
  const duration = parseDuration(text)
  if (duration.ok && duration.value >= 1_000) return { everyMs: duration.value }
  if (duration.ok) return { reason: `"${text}" is shorter than a second` }
  const cron = text.trim()
  if (!/\s/.test(cron)) return { reason: `"${text}" is neither a duration such as 60s nor a cron expression` }
  const fault = cronFault(cron)
  return fault === undefined ? { cron } : { reason: `"${text}" is not a usable cron expression: ${fault}` }
}
