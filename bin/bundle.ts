import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import manifest from '../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '..')

/** Libraries that every command loads. The others stay packages, because they are loaded only when they are needed. */
const bundled: readonly string[] = ['commander', 'p-limit', 'p-retry', 're2js', 'semver', 'yaml']

/**
 * Writes the published code into a directory: few files in place of some hundred, with the libraries that every command
 * loads, because finding and linking files takes most of the time of a short command. Code that is imported late stays
 * in files of its own. Adds the licences of the libraries. Rejects with the bundler's own message.
 * @param entry the program, which comes to lie in a folder named as the one that it is in
 */
export async function bundle(directory: string, entry = 'lib/cli/main.ts'): Promise<void> {
  await rm(directory, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir: join(directory, basename(dirname(entry))),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: Object.keys(manifest.dependencies).filter(name => !bundled.includes(name)),
    // Libraries that are no ES modules request Node's own modules in this way.
    banner: { js: commonJs },
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'error',
    metafile: true,
  })
  const packages = new Set(Object.keys(metafile.inputs).flatMap(packageOf))
  const licences = await Promise.all([...packages].toSorted().map(licenceOf))
  await writeFile(join(directory, 'THIRD-PARTY-LICENCES'), licences.join('\n\n'))
}

const commonJs =
  "import { createRequire as requireFrom$ } from 'node:module'; const require = requireFrom$(import.meta.url);"

/** Returns `node_modules/yaml` for `node_modules/yaml/dist/index.js`. */
function packageOf(path: string): readonly string[] {
  const [found] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []
  return found === undefined ? [] : [found]
}

async function licenceOf(path: string): Promise<string> {
  const file = (await readdir(join(root, path))).find(name => /^licen[sc]e/i.test(name))
  if (file === undefined) throw new Error(`${path} comes without its licence`)
  const text = await readFile(join(root, path, file), 'utf8')
  return `${relative('node_modules', path)}\n\n${text.trim()}\n`
}

if (process.argv[1] === import.meta.filename) await bundle(join(dirname(import.meta.dirname), 'dist'))
