import { createRequire } from 'node:module'

/** Loaded where there is an expression, and by no other command. */
const require = createRequire(import.meta.url)

/** Why an expression cannot say when to look; undefined where it names times that come. */
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

/** The library looks for the next time when it is asked for it, and only then says that there is none. */
function hasNext(expression: string): boolean {
  const { createTask }: NodeCron = require('node-cron')
  try {
    return createTask(expression, () => undefined).getNextRuns(1).length > 0
  } catch {
    return false
  }
}
