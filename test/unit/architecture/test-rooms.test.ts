import { globSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { expect } from 'chai'

const root = resolve(import.meta.dirname, '../../..')

/** How many files a room of tests has at most before its ideas get rooms of their own. */
const mostFiles = 18

/** Rooms that are lists of equals, which stay whole however long they are. */
const lists: Readonly<Record<string, string>> = {
  'test/hints': 'one file for each kind of place that a hint is about',
}

describe('the rooms of tests', () => {
  it('are none of many files whose ideas have no rooms of their own', () => {
    const rooms = Map.groupBy(globSync('test/**/*.ts', { cwd: root }), path => dirname(path))
    const full = [...rooms].filter(([room, files]) => files.length > mostFiles && !Object.hasOwn(lists, room))
    expect(full.map(([room, files]) => `${room}: ${files.length}`)).to.deep.equal([])
    expect([...rooms.keys()]).to.include.members(Object.keys(lists))
  })
})
