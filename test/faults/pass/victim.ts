import { mortalFiles } from './mortal-files.ts'

/**
 * A process that dies: runs one pass with the answer given beforehand, and kills itself with SIGKILL right before or
 * right after one engine call, one write to the journal or one call on the files of the git store. The last thing it
 * says on stdout is what that was. `node victim.ts CONFIG [POINT [retry]]`, the point as JSON; without one it lives until somebody kills it.
 */
mortalFiles()
const [configFile = '', , retry] = process.argv.slice(2)
const { mortalPass } = await import('./mortal-pass.ts')
await mortalPass(configFile, retry !== undefined)
