import { userInfo } from 'node:os'

/** Who says so: the user's name, or the number where a container has no name for it. */
export function currentUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
