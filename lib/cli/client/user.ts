import { userInfo } from 'node:os'

/** Returns the name of the user, or the number in a container that has no name for it. */
export function currentUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
