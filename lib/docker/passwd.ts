/** To whom a file belongs, by number. */
export type FileOwner = { readonly uid: number; readonly gid: number }

/** A container's user as the engine takes it: by number, or by a name that its /etc/passwd knows. */
export type User =
  | { readonly uid: number; readonly gid?: number }
  | { readonly uid?: undefined; readonly name: string; readonly gid?: number }

/** `1000`, `1000:1000`, `app`, `app:1000`; nothing is root. A group by its name is left to the engine. */
export function readUser(user: string): User {
  const [name = '', group = ''] = user.split(':', 2)
  const gid = numberOf(group)
  const rest = gid === undefined ? {} : { gid }
  const uid = name === '' ? 0 : numberOf(name)
  return uid === undefined ? { name, ...rest } : { uid, ...rest }
}

/** Whom a passwd file means by a name: its first line of that name. */
export function ownerIn(passwd: string, name: string): FileOwner | undefined {
  for (const line of passwd.split('\n')) {
    const [one, , user = '', group = ''] = line.trim().split(':')
    const [uid, gid] = [numberOf(user), numberOf(group)]
    if (one === name && uid !== undefined) return { uid, gid: gid ?? 0 }
  }
  return undefined
}

/** What the kernel takes for the number of a user or a group; the largest one means nobody at all. */
function numberOf(text: string): number | undefined {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  return number < 2 ** 32 - 1 ? number : undefined
}
