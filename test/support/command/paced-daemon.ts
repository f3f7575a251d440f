import { loadConfig } from '../../../lib/config.ts'
import { runDaemon } from '../../../lib/daemon/run.ts'
import { silent } from '../memory/memory-daemon.ts'

/**
 * A daemon for which minutes are shorter: `paced-daemon.ts FILE PACE`, with its configuration and how often it looks at
 * claims, as JSON. It ends with SIGTERM.
 */
const [config = '', pace = '{}'] = process.argv.slice(2)
const stopping = new AbortController()
process.on('SIGTERM', () => stopping.abort())
await runDaemon(loadConfig({ config }, process.env), silent, stopping.signal, undefined, {
  pace: JSON.parse(pace),
})
