import { failureOf } from './failure-of.ts'

/** How a request is refused: `code: message`; fails when it is not. */
export async function refused(asked: Promise<unknown>): Promise<string> {
  const { code, message } = await failureOf(asked)
  return `${code}: ${message.replaceAll(/\d{4}-\d\d-\d\d[ T][\d:.]+Z?/g, 'TIME')}`
}
