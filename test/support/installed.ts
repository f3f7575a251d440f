import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { bundle } from '../../bin/bundle.ts'

const root = join(import.meta.dirname, '../..')

/**
 * Puts the package where npm would install it, beside the libraries it needs, and returns its launcher: what users
 * start is tested, and starts faster than a checkout.
 */
export async function installPackage(): Promise<string> {
  const place = join(root, 'node_modules/tallyman')
  await rm(place, { recursive: true, force: true })
  await mkdir(join(place, 'bin'), { recursive: true })
  await Promise.all([
    bundle(join(place, 'dist')),
    ...['bin/tallyman', 'package.json'].map(file => cp(join(root, file), join(place, file))),
  ])
  return join(place, 'bin/tallyman')
}
