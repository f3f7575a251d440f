import { writeFileSync } from 'node:fs'

/** Loaded into a process with `--import`: writes the most resident memory that it had, in bytes, to BENCH_MEMORY. */
const file = process.env['BENCH_MEMORY'] ?? ''
process.on('exit', () => writeFileSync(file, String(process.resourceUsage().maxRSS * 1024)))
