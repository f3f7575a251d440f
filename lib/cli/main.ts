import { readFileSync } from 'node:fs'
import { takeStreamErrors } from './output/streams.ts'

takeStreamErrors(process)

const version =
  /\d[^"]*/.exec(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8').match(/"version": "[^"]*"/)?.[0] ??
      '',
  )?.[0] ?? ''

const [first] = process.argv.slice(2)
if (first === '--version' || first === '-V') {
  process.stdout.write(`${version}\n`)
} else {
  const { run } = await import('./program.ts')
  const code = await run(process.argv, version)
  // Output that could not be printed has set the exit code already.
  process.exitCode ??= code
}
