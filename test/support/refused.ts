import { Failure } from '../../lib/errors.ts'

/** How a request is refused: `code: message`; fails when it is not. */
export async function refused(asked: Promise<unknown>): Promise<string> {
  const error = await asked.then(
    answer => new Error(`was not refused: ${JSON.stringify(answer)}`),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Failure)) throw error
  return `${error.code}: ${error.message.replaceAll(/\d{4}-\d\d-\d\d[ T][\d:.]+Z?/g, 'TIME')}`
}
