import { expect } from 'chai'
import type { EngineRequest } from '../../../../lib/docker/api/connection/dial.ts'
import { engine } from './answering-engine.ts'

const read: EngineRequest = { method: 'GET', path: '/containers/json' }

describe('the words of a refusal', () => {
  const rows: readonly (readonly [what: string, body: string, message: string])[] = [
    ['of an engine', '{"message":"No such container: web"}', 'No such container: web'],
    ['of a proxy that speaks JSON', '{"error":"not today"}', 'not today'],
    ['of a proxy that does not', '<b>no</b>\n', '<b>no</b>'],
    ['of nobody', '', ''],
  ]
  for (const [what, body, message] of rows)
    it(`are those ${what}`, async () => {
      await using there = await engine(response => response.writeHead(404).end(body))
      expect(await there.call(read)).to.deep.equal({ ok: false, status: 404, message })
    })
})
