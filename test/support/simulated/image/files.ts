import { posix } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { extract, pack } from 'tar-stream'
import { withoutEnd } from '../../../../lib/text/without-end.ts'
import { Refusal } from '../server/refusal.ts'
import { known } from '../shell/shell.ts'

/** What stands at a path. */
export type Entry = { readonly mode: number; readonly uid: number; readonly gid: number } & (
  | { readonly kind: 'file'; readonly content: Buffer }
  | { readonly kind: 'directory' }
  | { readonly kind: 'link'; readonly to: string }
)

/** Entries by absolute path, without a slash at the end. */
export type Tree = Map<string, Entry>

/** The files of a container: its own, and those of the volumes that are mounted into it. */
export type Files = {
  at(path: string): Entry | undefined
  /** Puts an entry there, and directories above it where they are missing. */
  put(path: string, entry: Entry): void
  /** Takes away what stands there, if it was put there. */
  remove(path: string): void
  /** The paths at and below a path, in their order. */
  below(path: string): readonly string[]
}

const directory: Entry = { kind: 'directory', mode: 0o755, uid: 0, gid: 0 }

const program: Entry = { kind: 'file', content: Buffer.from('a program'), mode: 0o755, uid: 0, gid: 0 }

/** What every image has. */
const everywhere: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  ...known.map(name => [`/bin/${name}`, program] as const),
  ...['/', '/bin', '/etc', '/proc', '/dev', '/run', '/var'].map(path => [path, directory] as const),
  ['/tmp', { ...directory, mode: 0o1777 }],
  [
    '/etc/passwd',
    { ...directory, kind: 'file', mode: 0o644, content: Buffer.from('root:x:0:0::/:/bin/sh\n') },
  ],
])

/** Creates the files of a container. `mounts`: the trees of its volumes, by the path where they are mounted. */
export function createFiles(mounts: ReadonlyMap<string, Tree>): Files {
  const own: Tree = new Map()
  const placeOf = (path: string): { readonly tree: Tree; readonly inside: string } => {
    const around = [...mounts]
      .filter(([mounted]) => path === mounted || path.startsWith(`${mounted}/`))
      .sort(([a], [b]) => b.length - a.length)
    const [mounted, tree] = around[0] ?? ['', own]
    return { tree, inside: path.slice(mounted.length) || '/' }
  }
  const at = (path: string): Entry | undefined => {
    const { tree, inside } = placeOf(clean(path))
    if (tree === own) return own.get(inside) ?? everywhere.get(inside) ?? aboveMount(inside, mounts)
    return tree.get(inside) ?? (inside === '/' ? directory : undefined)
  }
  return {
    at,
    put(given, entry) {
      const path = clean(given)
      const parent = posix.dirname(path)
      const above = at(parent)
      if (above === undefined) this.put(parent, directory)
      else if (above.kind !== 'directory' && parent !== path)
        throw new Refusal(500, `Error processing tar file(exit status 1): mkdir ${parent}: not a directory`)
      const { tree, inside } = placeOf(path)
      tree.set(inside, entry)
    },
    remove(given) {
      const { tree, inside } = placeOf(clean(given))
      tree.delete(inside)
    },
    below(given) {
      const path = clean(given)
      const all = [
        ...own.keys(),
        ...[...mounts].flatMap(([mounted, tree]) =>
          [...tree.keys()].map(inside => clean(`${mounted}${inside}`)),
        ),
      ]
      return [path, ...all.filter(one => one.startsWith(path === '/' ? '/' : `${path}/`)).sort()]
    },
  }
}

function clean(path: string): string {
  return withoutEnd(posix.normalize(path), '/') || '/'
}

function aboveMount(path: string, mounts: ReadonlyMap<string, Tree>): Entry | undefined {
  return [...mounts.keys()].some(mounted => mounted.startsWith(`${path}/`)) ? directory : undefined
}

/** Unpacks an archive into a directory. */
export async function unpack(files: Files, into: string, archive: Buffer): Promise<void> {
  const entries = extract()
  entries.end(archive)
  for await (const entry of entries) {
    const { type, name, mode = 0o644, uid = 0, gid = 0, linkname = '', pax } = entry.header
    const large: { readonly uid?: string; readonly gid?: string } = pax ?? {}
    const content = await buffer(entry)
    const owned = { mode, uid: Number(large.uid ?? uid), gid: Number(large.gid ?? gid) }
    const path = posix.join(into, name)
    if (type === 'directory') files.put(path, { kind: 'directory', ...owned })
    else if (type === 'symlink') files.put(path, { kind: 'link', to: linkname, ...owned })
    else files.put(path, { kind: 'file', content, ...owned })
  }
}

/** Packs what stands at a path, and below it, named from its last part on. */
export async function packed(files: Files, path: string): Promise<Buffer> {
  const archive = pack()
  const above = posix.dirname(clean(path))
  for (const one of files.below(path)) {
    const entry = files.at(one)
    if (entry === undefined) continue
    const name = posix.relative(above, one)
    const { mode, uid, gid } = entry
    const large = Math.max(uid, gid) > 0o777777
    const owned = large ? { mode, pax: { uid: String(uid), gid: String(gid) } } : { mode, uid, gid }
    if (entry.kind === 'directory') archive.entry({ ...owned, name: `${name}/`, type: 'directory' })
    else if (entry.kind === 'link') archive.entry({ ...owned, name, type: 'symlink', linkname: entry.to })
    else archive.entry({ ...owned, name }, entry.content)
  }
  archive.finalize()
  return buffer(archive)
}
