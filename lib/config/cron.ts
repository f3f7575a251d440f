import { createRequire } from 'node:module'

/** Loaded only if there is a cron expression. */
const require = createRequire(import.meta.url)

/** Returns why a cron expression is invalid or its time never comes; undefined if it is usable. */
export function cronFault(expression: string): string | undefined {
  const { validateDetailed }: NodeCron = require('node-cron')
  const [error] = validateDetailed(expression).errors
  if (error !== undefined)
    return error.value === undefined || words[error.field] === undefined
      ? 'it needs five fields, or six with the second in front'
      : `"${error.value}" is no ${words[error.field]} that it can have`
  return hasNext(expression) ? undefined : 'no such time ever comes'
}

type NodeCron = Pick<typeof import('node-cron'), 'createTask' | 'validateDetailed'>

const words: Readonly<Record<string, string>> = {
  second: 'second',
  minute: 'minute',
  hour: 'hour',
  dayOfMonth: 'day of the month',
  month: 'month',
  dayOfWeek: 'day of the week',
}

/** The library finds out only when it is asked for the next time that there is none. */
function hasNext(expression: string): boolean {
  const { createTask }: NodeCron = require('node-cron')
  try {
    return createTask(expression, () => undefined).getNextRuns(1).length > 0
  } catch {
    return false
  }
}
