import { rename, update } from '../change.ts'
import type { CreateBody, HostConfig } from '../config.ts'
import { readArchive, statHeader, writeArchive } from '../image/archive.ts'
import {
  type Answer,
  type Call,
  done,
  empty,
  type Handler,
  isSet,
  ok,
  type Route,
  readJson,
  unchanged,
} from '../server/call.ts'
import { readFilters } from '../server/filters.ts'
import { type Container, type Daemon, getContainer, isUp } from './container.ts'
import { create, remove } from './create.ts'
import { createExec, getExec, startExec } from './exec.ts'
import { inspected, shownExec } from './inspect.ts'
import { listed } from './list.ts'
import { logOf } from './logs.ts'
import { start } from './start.ts'
import { endOf, kill, pause, restart, stop, unpause } from './stop.ts'

/** Calls that are about one container that exists. */
function ofContainer(
  act: (daemon: Daemon, container: Container, call: Call, as: string) => Answer | Promise<Answer>,
): Handler {
  return (daemon, call, name) => act(daemon, getContainer(daemon, name), call, name)
}

const secondsIn = ({ query }: Call) => (query.has('t') ? Number(query.get('t')) : undefined)

/** The calls about containers, and about what is executed in them. */
export const containerRoutes: readonly Route[] = [
  [
    'GET',
    /^\/containers\/json$/,
    (daemon, { query }) => ok(listed(daemon, readFilters(query.get('filters')), isSet(query.get('all')))),
  ],
  [
    'POST',
    /^\/containers\/create$/,
    (daemon, { query, body }) => {
      const asked = { name: query.get('name') ?? '', platform: query.get('platform') ?? '' }
      const given: CreateBody = readJson(body)
      return { status: 201, json: { Id: create(daemon, asked, given).id, Warnings: [] } }
    },
  ],
  ['GET', /^\/containers\/([^/]+)\/json$/, ofContainer((_, container) => ok(inspected(container)))],
  [
    'POST',
    /^\/containers\/([^/]+)\/start$/,
    ofContainer((daemon, container) => (start(daemon, container) ? done : unchanged)),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/stop$/,
    ofContainer(async (daemon, container, call) =>
      (await stop(daemon, container, secondsIn(call))) ? done : unchanged,
    ),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/restart$/,
    ofContainer(async (daemon, container, call) => {
      await restart(daemon, container, secondsIn(call))
      return done
    }),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/kill$/,
    ofContainer((daemon, container, { query }, as) => {
      kill(daemon, container, query.get('signal') ?? 'KILL', as)
      return done
    }),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/pause$/,
    ofContainer((daemon, container) => {
      pause(daemon, container)
      return done
    }),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/unpause$/,
    ofContainer((daemon, container) => {
      unpause(daemon, container)
      return done
    }),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/wait$/,
    ofContainer(async (_, container) => {
      if (isUp(container)) await endOf(container)
      return ok({ StatusCode: container.state.exitCode })
    }),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/rename$/,
    ofContainer((daemon, container, { query }) => {
      rename(daemon, container, query.get('name') ?? '')
      return done
    }),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/update$/,
    ofContainer((daemon, container, { body }) => {
      const given: Partial<HostConfig> = readJson(body)
      update(daemon, container, given)
      return ok({ Warnings: null })
    }),
  ],
  [
    'DELETE',
    /^\/containers\/([^/]+)$/,
    ofContainer((daemon, container, { query }) => {
      const withVolumes = isSet(query.get('v'))
      remove(daemon, container, { isForced: isSet(query.get('force')), withVolumes })
      return done
    }),
  ],
  [
    'GET',
    /^\/containers\/([^/]+)\/logs$/,
    ofContainer((_, container, { query }) => ({
      status: 200,
      bytes: logOf(container, query),
      headers: { 'content-type': 'application/vnd.docker.raw-stream' },
    })),
  ],
  [
    'HEAD',
    /^\/containers\/([^/]+)\/archive$/,
    ofContainer((_, container, { query }, as) => {
      const stat = statHeader(container, query.get('path') ?? '', as)
      return { status: 200, headers: { 'x-docker-container-path-stat': stat } }
    }),
  ],
  [
    'GET',
    /^\/containers\/([^/]+)\/archive$/,
    ofContainer(async (_, container, { query }, as) => {
      const path = query.get('path') ?? ''
      const stat = statHeader(container, path, as)
      const headers = { 'content-type': 'application/x-tar', 'x-docker-container-path-stat': stat }
      return { status: 200, bytes: await readArchive(container, path, as), headers }
    }),
  ],
  [
    'PUT',
    /^\/containers\/([^/]+)\/archive$/,
    ofContainer(async (_, container, { query, body }, as) => {
      await writeArchive(container, query.get('path') ?? '', body, as)
      return empty
    }),
  ],
  [
    'POST',
    /^\/containers\/([^/]+)\/exec$/,
    ofContainer((daemon, container, { body }) => {
      const { Cmd = [] }: { Cmd?: readonly string[] } = readJson(body)
      return { status: 201, json: { Id: createExec(daemon, container, Cmd).id } }
    }),
  ],
  [
    'POST',
    /^\/exec\/([^/]+)\/start$/,
    (daemon, _, id) => ({
      status: 200,
      bytes: startExec(daemon, getExec(daemon, id)),
      headers: { 'content-type': 'application/vnd.docker.raw-stream' },
    }),
  ],
  ['GET', /^\/exec\/([^/]+)\/json$/, (daemon, _, id) => ok(shownExec(getExec(daemon, id)))],
]
