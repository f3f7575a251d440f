import { cp, mkdir, mkdtempDisposable } from 'node:fs/promises'
import { join } from 'node:path'
import { bundle } from '../../../bin/bundle.ts'

const root = join(import.meta.dirname, '../../..')

/** The package as npm would install it. Disposing of it removes it. */
export type Installed = AsyncDisposable & {
  readonly launcher: string
  /** The program of `test/faults` that dies, made as the package is. */
  readonly victim: string
}

/**
 * Puts the package beside the libraries it needs, in a directory of its own, so that two runs in one checkout do not
 * take it from each other. What users start is tested, and starts faster than a checkout.
 */
export async function installPackage(): Promise<Installed> {
  const place = await mkdtempDisposable(join(root, 'node_modules/.tallyman-'))
  await mkdir(join(place.path, 'bin'))
  await Promise.all([
    bundle(join(place.path, 'dist')),
    bundle(join(place.path, 'victim'), 'test/faults/pass/victim.ts'),
    ...['bin/tallyman', 'package.json'].map(file => cp(join(root, file), join(place.path, file))),
  ])
  return {
    launcher: join(place.path, 'bin/tallyman'),
    victim: join(place.path, 'victim/pass/victim.js'),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  }
}
