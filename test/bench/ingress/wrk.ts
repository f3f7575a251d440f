import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** How a server did under as many requests as it can answer. */
export type Load = {
  readonly perSecond: number
  /** 99 of 100 requests took no longer. */
  readonly p99Ms: number
}

export type LoadOptions = {
  readonly url: string
  readonly host: string
  readonly connections: number
  readonly seconds: number
  /** Before each request of each connection. Absent: as many requests as can be answered. */
  readonly pauseMs?: number
}

/** Asks with wrk, over connections that are kept. Throws when a request failed: what is not served is not measured. */
export async function wrk({ url, host, connections, seconds, pauseMs }: LoadOptions): Promise<Load> {
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-wrk-'))
  try {
    const script = join(directory, 'report.lua')
    await writeFile(script, pauseMs === undefined ? report : `${report}${pausing(pauseMs)}`)
    const args = [`-c${connections}`, '-t1', `-d${seconds}s`, '-H', `Host: ${host}`, '-s', script, url]
    const { stdout } = await promisify(execFile)('wrk', args)
    const said: Said = JSON.parse(stdout.slice(stdout.lastIndexOf('{')))
    if (said.failed > 0) throw new Error(`${url}: ${said.failed} of ${said.requests} requests failed`)
    return { perSecond: (said.requests / said.durationUs) * 1e6, p99Ms: said.p99Us / 1000 }
  } finally {
    await rm(directory, { recursive: true })
  }
}

type Said = Readonly<Record<'requests' | 'durationUs' | 'p99Us' | 'failed', number>>

const report = `
done = function(summary, latency)
  local e = summary.errors
  local failed = e.connect + e.read + e.write + e.timeout + e.status
  io.write(string.format('{"requests":%d,"durationUs":%d,"p99Us":%d,"failed":%d}',
    summary.requests, summary.duration, latency:percentile(99), failed))
end
`

const pausing = (ms: number) => `function delay() return ${ms} end\n`
