import { randomBytes } from 'node:crypto'

/** Returns an id as the engine gives to containers, networks and programs: 64 hex digits. */
export function newId(): string {
  return randomBytes(32).toString('hex')
}
