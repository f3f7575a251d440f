import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Failure, messageOf } from '../errors.ts'
import { repositoryName, withoutEnds } from '../state/identity.ts'
import { type Address, parseRepositoryAddress } from './address.ts'
import { openDirectory } from './directory/directory.ts'
import { openLocalRepository } from './local/local-repository.ts'
import { httpLoginOf, sshLoginOf } from './remote/credentials.ts'
import { openRemote } from './remote/remote.ts'
import { openServer } from './remote/server.ts'
import { verifierOf } from './signature/verify.ts'
import { inaccessible } from './snapshot/unreadable.ts'
import type { OpenedSource, Source, SourceConfig } from './source-type.ts'
import { openSshServer } from './ssh/server.ts'
import { openStore, storeOf } from './store.ts'

export type { Source, SourceConfig } from './source-type.ts'

/**
 * Opens the source that a configuration names. Fetched objects are kept below `storeDir`, those of the `needed` commits
 * for as long as they are needed.
 * - `http(s)://`, `ssh://` and `user@host:path`: a git server.
 * - `file://`, a bare repository, or a path with a `ref`: the repository's own objects.
 * - Any other path: the files as they are, committed or not.
 *
 * Fails with `repository-invalid`, `git-not-found`, or `git-unreachable` if what is there cannot be read.
 */
export function openSource(
  config: SourceConfig,
  storeDir: string,
  needed: () => readonly string[] = () => [],
): Source {
  const { signed, ...opened } = open(config, storeDir, needed)
  const name = sourceName(opened.address, config.name)
  const { verify } = config
  if (verify === undefined) return { ...opened, name }
  const judge = verifierOf(verify.keys, storeDir)
  return {
    ...opened,
    name,
    verify: async (commit, signal) => judge(await signed(verify.mode, commit, signal), signal),
  }
}

/** Returns the name of a repository: the one that it was given, or else the one that its address leads to. */
export function sourceName(address: string, given: string | undefined): string {
  return given === undefined ? repositoryName(address) : withoutEnds(given) || given
}

function open(config: SourceConfig, storeDir: string, needed: () => readonly string[]): OpenedSource {
  const address = parseRepositoryAddress(config.url)
  const { ref, auth = {} } = config
  if (address.kind === 'ssh')
    return openRemote(address, openSshServer(address, sshLoginOf(auth, address)), ref, storeDir, needed)
  if (address.kind === 'remote') {
    const server = openServer(address.url, httpLoginOf(auth, address.login))
    return openRemote(address, server, ref, storeDir, needed)
  }
  const directory = storeOf(storeDir, address.name)
  const isKept = existsSync(directory)
  // While it is gone, nobody knows where it has its objects.
  const gitPath = () => gitDirectoryOf(address, ref, true) ?? address.path
  if (gitDirectoryOf(address, ref, isKept) !== undefined)
    return openLocalRepository(address, gitPath, ref, openStore(directory, needed))
  if (ref !== undefined)
    throw new Failure(
      'repository-invalid',
      `${address.path}: has no ref "${ref}", because it is not a git repository`,
      {
        hint: 'Leave out "ref" (of "repository" in the configuration, --ref or TALLYMAN_REF) to read the files of the directory as they are, or name a git repository.',
      },
    )
  return openDirectory(address)
}

type LocalAddress = Extract<Address, { kind: 'local' }>

/** `isKept`: commits of it are in the store, so that it is known to be a repository, and may come back. */
function gitDirectoryOf(
  { path, plain }: LocalAddress,
  ref: string | undefined,
  isKept: boolean,
): string | undefined {
  if (!isDirectory(path)) {
    if (isKept) return path
    throw new Failure(
      'git-not-found',
      `${path}: ${existsSync(path) ? 'is no directory' : 'no such directory'}`,
      {
        hint: 'Name the directory of a repository that exists, or its address.',
      },
    )
  }
  if (existsSync(join(path, 'HEAD')) && existsSync(join(path, 'objects'))) return path
  const inside = join(path, '.git')
  return (!plain || ref !== undefined) && existsSync(inside) ? inside : undefined
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  } catch (error) {
    throw inaccessible(path, messageOf(error), error)
  }
}
