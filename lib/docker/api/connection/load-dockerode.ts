import Module, { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type Docker from 'dockerode'

/**
 * Loads dockerode without its code for SSH and gRPC, which nothing here uses and which is 150 of its 200 files.
 * dockerode and its transport require them at the top of one file each, and each of these files exports one function.
 * While dockerode loads, a function in the require cache replaces each file. It loads the real file when it is called.
 * Nothing else can be loaded in between, and afterwards the cache is as it was.
 *
 * If another version of dockerode has no such files, nothing requires the replacements, and all of it is loaded.
 */
export function loadDockerode(): typeof Docker {
  const require = createRequire(import.meta.url)
  const main = require.resolve('dockerode')
  const transport = createRequire(main).resolve('docker-modem')
  const unused = [join(dirname(main), 'session.js'), join(dirname(transport), 'ssh.js')].filter(
    file => require.cache[file] === undefined,
  )
  for (const file of unused) require.cache[file] = standIn(file, require)
  try {
    return require('dockerode')
  } finally {
    for (const file of unused) delete require.cache[file]
  }
}

function standIn(file: string, require: NodeJS.Require): Module {
  const module = new Module(file)
  module.exports = (...given: readonly unknown[]) => require(file)(...given)
  module.loaded = true
  return module
}
