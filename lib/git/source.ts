import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../errors.ts'
import { type Address, parseAddress } from './address.ts'
import { openDirectory } from './directory.ts'
import { openLocalRepository } from './local-repository.ts'
import { openRemote } from './remote.ts'
import type { Source, SourceConfig } from './source-type.ts'

export type { Source, SourceConfig } from './source-type.ts'

/**
 * The source that a configuration names; what is fetched is kept below `storeDir`.
 * - `http(s)://`: a git server. - `file://`, a bare repository, or a path with a `ref`: the repository's own objects.
 * - any other path: the files as they stand there, committed or not.
 * Fails with `repository-invalid` or `git-not-found`.
 */
export function openSource(config: SourceConfig, storeDir: string): Source {
  const address = parseAddress(config.url)
  if (address.kind === 'remote') return openRemote(address, config, storeDir)
  const gitDirectory = gitDirectoryOf(address, config.ref)
  if (gitDirectory !== undefined) return openLocalRepository(address, gitDirectory, config.ref)
  if (config.ref !== undefined)
    throw new Failure(
      'repository-invalid',
      `${address.path}: has no ref "${config.ref}", being no git repository`,
    )
  return openDirectory(address)
}

type LocalAddress = Extract<Address, { kind: 'local' }>

function gitDirectoryOf({ path, plain }: LocalAddress, ref: string | undefined): string | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new Failure('git-not-found', `${path}: no such directory`)
  if (existsSync(join(path, 'HEAD')) && existsSync(join(path, 'objects'))) return path
  const inside = join(path, '.git')
  return (!plain || ref !== undefined) && existsSync(inside) ? inside : undefined
}
