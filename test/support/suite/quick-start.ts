import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

/**
 * Loaded by mocha before all else. What Node made of the sources the last time is used again. And mocha lets every
 * error carry its whole stack: where thousands of errors are made deep down, that costs seconds.
 */
enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/tests'))
Error.stackTraceLimit = 50
