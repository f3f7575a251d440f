import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { rolldown } from 'rolldown'
import manifest from '../package.json' with { type: 'json' }
import { asEntry, asScript } from './bundle/as-script.ts'
import { circlesIn } from './bundle/circles.ts'

const root = join(import.meta.dirname, '..')

/** Libraries that every command loads. The others stay packages, because they are loaded only when they are needed. */
const bundled: readonly string[] = ['commander', 'p-limit', 'p-retry', 're2js', 'semver', 'yaml']

const packages = Object.keys(manifest.dependencies).filter(name => !bundled.includes(name))

/**
 * What commands load, from what all of them do to what few do. What these files need becomes one file, without what
 * stands in one before it. What none of them needs is loaded late, and stays in files of its own.
 */
const layers: readonly (readonly string[])[] = [
  ['lib/cli/output/streams.ts'],
  ['lib/cli/program.ts'],
  ['lib/cli/commands/remote.ts', 'lib/cli/commands/status.ts'],
  ['lib/cli/commands/validate.ts'],
  ['lib/cli/commands/plan.ts'],
  ['lib/cli/commands/apply.ts'],
]

/**
 * Writes the published code into a directory: few files in place of some hundred, with the libraries that every command
 * loads, because finding and linking files takes most of the time of a short command. Adds the licences of the
 * libraries. Rejects with the bundler's own message.
 * @param entry the program, which comes to lie in a folder named as the one that it is in
 */
export async function bundle(directory: string, entry = 'lib/cli/main.ts'): Promise<void> {
  await rm(directory, { recursive: true, force: true })
  const place = join(directory, basename(dirname(entry)))
  const loader = 'load.js'
  await writeLoader(join(place, loader))
  await using build = await rolldown({
    cwd: root,
    input: entry,
    platform: 'node',
    external: id => packages.some(name => id === name || id.startsWith(`${name}/`)),
    logLevel: 'warn',
    // That what is imported late is in a layer nevertheless is what layers are for.
    checks: { ineffectiveDynamicImport: false, pluginTimings: false },
    // Nobody imports the program.
    preserveEntrySignatures: false,
    plugins: [
      {
        name: 'scripts',
        // Of a script, rolldown itself would keep nothing: it does nothing with its value.
        generateBundle(_, files) {
          const chunks = Object.values(files).filter(file => file.type === 'chunk')
          // Each script runs once what it imports has run.
          const [circle] = circlesIn(new Map(chunks.map(({ fileName, imports }) => [fileName, imports])))
          if (circle !== undefined) throw new Error(`These files import one another: ${circle}`)
          for (const file of chunks) {
            const { code, fileName } = file
            file.code = file.isEntry ? asEntry(code, fileName, `./${loader}`) : asScript(code, fileName)
          }
        },
      },
    ],
  })
  const { output } = await build.write({
    dir: place,
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: {
      groups: layers.map((starts, at) => ({
        name: basename(starts[0] ?? '', '.ts'),
        // What the starts need comes with them, unless a group of a higher priority has it.
        test: id => starts.includes(relative(root, id)),
        priority: layers.length - at,
      })),
    },
    comments: false,
    // A source with a single other character takes twice the memory.
    charset: 'ascii',
    sourcemap: true,
    sourcemapExcludeSources: true,
  })
  const files = output.flatMap(one => (one.type === 'chunk' ? one.moduleIds : []))
  const libraries = new Set(files.flatMap(packageOf))
  const licences = await Promise.all([...libraries].toSorted().map(licenceOf))
  await writeFile(join(directory, 'THIRD-PARTY-LICENCES'), licences.join('\n\n'))
}

/** Writes the file that loads the others. */
async function writeLoader(file: string): Promise<void> {
  await using build = await rolldown({ cwd: root, input: 'bin/bundle/load.ts', platform: 'node' })
  await build.write({ file, comments: false })
}

/** Returns the directory of the package for `…/node_modules/yaml/dist/index.js`. */
function packageOf(path: string): readonly string[] {
  const [found] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []
  return found === undefined ? [] : [found]
}

async function licenceOf(path: string): Promise<string> {
  const file = (await readdir(path)).find(name => /^licen[sc]e/i.test(name))
  if (file === undefined) throw new Error(`${path} comes without its licence`)
  const text = await readFile(join(path, file), 'utf8')
  return `${relative(join(root, 'node_modules'), path)}\n\n${text.trim()}\n`
}

if (process.argv[1] === import.meta.filename) await bundle(join(dirname(import.meta.dirname), 'dist'))
