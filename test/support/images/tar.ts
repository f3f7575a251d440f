/** Whose it is; absent: root's. */
type Owned = { readonly uid?: number; readonly gid?: number }

/** One entry of a tar archive; without content it is a symbolic link or a directory. */
export type TarEntry =
  | ({
      readonly type: 'file'
      readonly path: string
      readonly content: Buffer
      readonly mode: number
    } & Owned)
  | { readonly type: 'link'; readonly path: string; readonly target: string }
  | { readonly type: 'directory'; readonly path: string; readonly mode: number }

const block = 512

/** A ustar archive that is the same for the same entries: no times. Paths up to 100 bytes. */
export function tar(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(archived), Buffer.alloc(2 * block)])
}

function archived(entry: TarEntry): readonly Buffer[] {
  switch (entry.type) {
    case 'file':
      return [header(entry.path, entry.mode, entry.content.length, '0', '', entry), padded(entry.content)]
    case 'link':
      return [header(entry.path, 0o777, 0, '2', entry.target)]
    case 'directory':
      return [header(`${entry.path}/`, entry.mode, 0, '5')]
  }
}

function header(
  path: string,
  mode: number,
  size: number,
  type: string,
  target = '',
  { uid = 0, gid = 0 }: Owned = {},
): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path}: longer than 100 bytes`)
  const bytes = Buffer.alloc(block)
  bytes.write(path, 0)
  bytes.write(
    `${octal(mode, 7)}\0${octal(uid, 7)}\0${octal(gid, 7)}\0${octal(size, 11)}\0${octal(0, 11)}\0`,
    100,
  )
  bytes.write('        ', 148)
  bytes.write(type, 156)
  bytes.write(target, 157)
  bytes.write('ustar\x0000', 257)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  bytes.write(`${octal(sum, 6)}\0 `, 148)
  return bytes
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0')
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((block - (content.length % block)) % block)])
}
