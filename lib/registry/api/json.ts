import { isRecord } from '../../object.ts'
/** Parses a JSON object from a foreign text; undefined if it is anything else. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
