import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/**
 * `node --import=…/module-record.ts`: writes the URLs of all modules that were loaded, one per line, into the file
 * that TALLYMAN_TEST_MODULES names, when the process ends.
 */
const loaded: string[] = []

registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})

process.on('exit', () => {
  const file = process.env['TALLYMAN_TEST_MODULES']
  if (file !== undefined) writeFileSync(file, loaded.join('\n'))
})
