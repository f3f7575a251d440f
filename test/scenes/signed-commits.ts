import type { CommitOptions } from '../support/git/repository.ts'
import { type AnyScene, service } from './scene.ts'

/** What a configuration says of a repository whose commits, or whose tag, the keys in a file have to sign. */
export function verifying(mode: 'head' | 'tag', keys: string, ref?: string) {
  return (_: string, { url }: { readonly url: string }) => ({
    repository: { url: `file://${url}`, verify: { mode, keys: [keys] }, ...(ref && { ref }) },
  })
}

export const pushVersions = ({ push }: AnyScene): Promise<unknown> =>
  Promise.all(['1', '2', '3'].map(version => push('web', version, { env: { V: version } })))

/** Commits that `web` runs in this version. */
export const commit = (scene: AnyScene, version: string, options?: CommitOptions): Promise<string> =>
  scene.commit(
    { services: [service('web', version)], skipConfirmation: true },
    `Version ${version}`,
    {},
    options,
  )

export const signedBy = (name: string, key: string): RegExp => new RegExp(`, signed by ${name} \\(${key}`)
