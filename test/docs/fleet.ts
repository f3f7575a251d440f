import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startFleet } from '../demo/fleet.ts'
import { tellOfFleet } from '../demo/fleet-story.ts'
import type { Stage } from '../demo/stage.ts'
import type { Ran, Tallyman } from '../support/command/tallyman.ts'
import { removeImages } from '../support/engine/clean-up.ts'
import { startRegistry } from '../support/images/registry.ts'
import { runningSocket } from '../support/suite/env.ts'

/**
 * Takes the walk through four engines of docs/deployments.md, which is the story of `npm run demo -- --fleet`, and
 * writes what `status` and `deployment` print to docs/tour, with the values that they show: `node test/docs/fleet.ts`, as
 * root. Afterwards `node test/docs/fill.ts` puts the new texts into the document.
 */
const chapters = ['start', 'canary', 'others', 'bad', 'reverted'] as const
const kept = ['status', 'deployment']
const dockerSocket = runningSocket()

await using registry = await startRegistry({ port: 5000 })
await using _images = { [Symbol.asyncDispose]: () => removeImages(dockerSocket, 'localhost:5000/shop') }
await using fleet = await startFleet({ dockerSocket, registry, environment: 'prod' })
await tellOfFleet({ ...fleet, stage: keepingStage(fleet.tallyman) })

/** Says yes to everything, and keeps the screens by the chapter they are in: `fleet-canary-status`. */
function keepingStage(tallyman: Tallyman): Stage {
  let headings = 0
  return {
    heading() {
      headings += 1
    },
    say() {},
    show() {},
    agrees: async () => true,
    tallyman(...args) {
      const [command = ''] = args
      if (!kept.includes(command)) return tallyman.run(...args)
      return screen(tallyman, `fleet-${chapters[headings - 1]}-${command}`, args)
    },
  }
}

/** What a command prints, and the value that it shows: both are taken while nothing changes. */
async function screen(tallyman: Tallyman, name: string, args: readonly string[]): Promise<Ran> {
  const shown = () => tallyman.run(...args, '--output', 'json')
  const value = await shown()
  const ran = await tallyman.run(...args)
  if ((await shown()).stdout !== value.stdout) return screen(tallyman, name, args)
  await keep(`values/${name}.json`, value.stdout)
  await keep(`${name}.txt`, ran.stdout)
  return ran
}

async function keep(file: string, text: string): Promise<void> {
  await writeFile(join(import.meta.dirname, '../../docs/tour', file), `${anywhere(text).trimEnd()}\n`)
}

/** The walk may be taken in any directory, with the engines at any socket. */
function anywhere(text: string): string {
  const there = text.replaceAll(fleet.tallyman.directory, '/srv/tour')
  return fleet.sites.reduce(
    (told, { name, endpoint }) => told.replaceAll(endpoint, `unix:///srv/${name}/docker.sock`),
    there,
  )
}
