/** The owner of a file, by number. */
export type FileOwner = { readonly uid: number; readonly gid: number }

/** A container's user as the engine accepts it: by number, or by a name in its /etc/passwd. */
export type User =
  | { readonly uid: number; readonly gid?: number }
  | { readonly uid?: undefined; readonly name: string; readonly gid?: number }

/** Reads `1000`, `1000:1000`, `app` or `app:1000`; empty is root. The engine looks up a group by its name. */
export function readUser(user: string): User {
  const [name = '', group = ''] = user.split(':', 2)
  const gid = numberOf(group)
  const rest = gid === undefined ? {} : { gid }
  const uid = name === '' ? 0 : numberOf(name)
  return uid === undefined ? { name, ...rest } : { uid, ...rest }
}

/** Returns the owner that a passwd file gives a name: its first line with that name. */
export function ownerIn(passwd: string, name: string): FileOwner | undefined {
  for (const line of passwd.split('\n')) {
    const [one, , user = '', group = ''] = line.trim().split(':')
    const [uid, gid] = [numberOf(user), numberOf(group)]
    if (one === name && uid !== undefined) return { uid, gid: gid ?? 0 }
  }
  return undefined
}

/** Reads a number of a user or a group as the kernel does. The largest one means nobody at all. */
function numberOf(text: string): number | undefined {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  return number < 2 ** 32 - 1 ? number : undefined
}
