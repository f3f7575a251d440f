import { expect } from 'chai'
import fc from 'fast-check'
import { jsonNodes } from '../../../lib/document/json-nodes.ts'
import { removeEntry, spliceEntry } from '../../../lib/manifest/splice-entry.ts'
import { refusal } from '../../support/failures/refusal.ts'

const file = 'environments/prod/manifest.json'
const splice = (name: string, now: string, then: string) =>
  spliceEntry(name, { file, text: now }, { file: 'then.json', text: then })

const entryOf = (tag: string, more: object = {}) => ({
  name: 'web',
  ...more,
  containers: [{ dockerName: 'team/web', dockerTag: tag }],
})

describe('the entry of a service that is put back', () => {
  it('A12 changes the words that differ, and no other sign of the file', () => {
    const now = `{ "services": [
  {"name":"api","containers":[{"dockerTag":"1"}]},
    { "name":   "web",
      "containers": [ { "dockerName": "team/web", "dockerTag": "2" , "dockerDigest":"sha256:b" } ] } ],
"skipConfirmation":true}`
    const then = JSON.stringify({
      services: [
        { name: 'web', containers: [{ dockerName: 'team/web', dockerTag: '1', dockerDigest: 'sha256:a' }] },
      ],
    })
    expect(splice('web', now, then)).to.equal(now.replace('"2"', '"1"').replace('sha256:b', 'sha256:a'))
  })

  it('A12 is taken whole where its shape differs, with the margin and the line breaks of the file', () => {
    const now =
      '{\r\n\t"services": [\r\n\t\t{"name": "web", "containers": [{"dockerTag": "2"}]}\r\n\t]\r\n}\r\n'
    const then = JSON.stringify({ services: [entryOf('1', { version: '1.0.0' })] }, undefined, 2)
    expect(splice('web', now, then)).to.equal(
      [
        '{',
        '\t"services": [',
        '\t\t{',
        '\t\t  "name": "web",',
        '\t\t  "version": "1.0.0",',
        '\t\t  "containers": [',
        '\t\t    {',
        '\t\t      "dockerName": "team/web",',
        '\t\t      "dockerTag": "1"',
        '\t\t    }',
        '\t\t  ]',
        '\t\t}',
        '\t]',
        '}',
        '',
      ].join('\r\n'),
    )
  })

  it('A12 comes after the one that it came after, or first, if it is gone', () => {
    const then = '{"services":[{"name":"a"},{"name":"b"},{"name":"web"},{"name":"c"}]}'
    const cases = [
      [
        '{"services": [\n  {"name":"a"},\n  {"name":"c"}\n]}',
        '{"services": [\n  {"name":"a"},\n  {"name":"web"},\n  {"name":"c"}\n]}',
      ],
      ['{"services": [\n  {"name":"c"}\n]}', '{"services": [\n  {"name":"web"},\n  {"name":"c"}\n]}'],
      ['{"services": []}', '{"services": [{"name":"web"}]}'],
    ] as const
    for (const [now, expected] of cases) expect(splice('web', now, then)).to.equal(expected)
  })

  it('A12 G24 is found by its key and not by its letters, whatever else the file says', () => {
    const now =
      '{"services":[{"name":"x\\"},{\\"name\\":\\"web","containers":[{"dockerTag":"2"}]},{"n\\u0061me":"\\u0077eb","containers":[{"dockerTag":"2"}]}]}'
    const then = '{"services":[{"name":"web","containers":[{"dockerTag":"1"}]}]}'
    expect(splice('web', now, then)).to.equal(
      '{"services":[{"name":"x\\"},{\\"name\\":\\"web","containers":[{"dockerTag":"2"}]},{"n\\u0061me":"\\u0077eb","containers":[{"dockerTag":"1"}]}]}'.replace(
        '"\\u0077eb"',
        '"web"',
      ),
    )
  })

  it('A12 E3 comes back together with the key of the list, which may have gone with its last entry', () => {
    const then = '{"includes": ["a.json"], "services": [{"name":"web"}], "skipConfirmation": true}'
    expect(splice('web', '{\n  "includes": ["b.json"]\n}\n', then)).to.equal(
      '{\n  "includes": ["b.json"],\n  "services": [{"name":"web"}]\n}\n',
    )
    expect(splice('web', '{}', then)).to.equal('{"services": [{"name":"web"}]}')
    expect(splice('web', '{"skipConfirmation": true}', then)).to.equal(
      '{"services": [{"name":"web"}],"skipConfirmation": true}',
    )
  })

  it('A12 is refused where there is nothing to put back, and a file that is no manifest is not touched', async () => {
    const told = async (now: string, then: string) => (await refusal(() => splice('web', now, then))).join()
    expect(await told('{}', '{}')).to.equal(`${file}: then.json had no entry of "web" (rollback-refused)`)
    expect(await told('{"services":[]}', '{"services":[]}')).to.match(/\(rollback-refused\)$/)
    expect(await told('{"services":[], "services":[]}', '{}')).to.match(/\(duplicate-key\)$/)
    expect(await told('[]', '{}')).to.match(/\(rollback-refused\)$/)
  })

  const name = fc.constantFrom('web', 'api', 'db', 'x"y', 'é', '__proto__', 'a]}')
  const service = fc.record(
    {
      version: fc.constantFrom('1.0.0', '2.0.0'),
      containers: fc.array(
        fc.record(
          { dockerTag: fc.string({ maxLength: 4 }), dockerName: fc.string({ maxLength: 4 }) },
          { requiredKeys: ['dockerTag'] },
        ),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: [] },
  )
  const services = fc
    .uniqueArray(fc.tuple(name, service), { selector: ([name]) => name, maxLength: 6 })
    .map(all => all.map(([name, one]) => ({ name, ...one })))
  const text = fc
    .tuple(services, fc.constantFrom('', ' ', '  ', '\t'), fc.constantFrom('\n', '\r\n'), fc.boolean())
    .map(([services, indent, line, isLast]) => {
      const value = isLast
        ? { includes: ['a.json'], ...(services.length === 0 ? {} : { services }) }
        : { services, skipConfirmation: true }
      return JSON.stringify(value, undefined, indent).replaceAll('\n', line)
    })

  it('A12 leaves every other value and every other sign as it was, for any two files', () => {
    fc.assert(
      fc.property(text, text, (now, then) => {
        const [before, earlier] = [JSON.parse(now), JSON.parse(then)]
        fc.pre(earlier.services?.length > 0)
        const entry = earlier.services[earlier.services.length >> 1]
        const spliced = splice(entry.name, now, then)
        const after = JSON.parse(spliced)
        const isIt = (one: { readonly name: string }) => one.name === entry.name
        expect(after.services.filter(isIt)).to.deep.equal([entry])
        const own = before.services ?? []
        const others = { ...before, services: own.filter((one: typeof entry) => !isIt(one)) }
        expect({
          ...after,
          services: after.services.filter((one: typeof entry) => !isIt(one)),
        }).to.deep.equal(others)
        const index = own.findIndex(isIt)
        if (index === -1) return
        const [one, list] = [jsonNodes(now), jsonNodes(spliced)].map(
          node => node.members?.get('services')?.items?.[index],
        )
        expect(spliced.slice(0, list?.start)).to.equal(now.slice(0, one?.start))
        expect(spliced.slice(list?.end)).to.equal(now.slice(one?.end))
      }),
    )
  })
})

describe('the entry of a service that is removed', () => {
  it('A12 A70 leaves every other value and every other sign as it was', () => {
    const names = ['api', 'web', 'db']
    for (const count of [1, 2, 3])
      for (const indent of [undefined, 2, '\t']) {
        const services = names.slice(0, count).map(name => ({ name, containers: [{ dockerTag: '1' }] }))
        const text = JSON.stringify({ includes: ['a.json'], services }, undefined, indent)
        for (const { name } of services) {
          const removed = removeEntry(name, { file, text })
          const left = services.filter(one => one.name !== name)
          expect(JSON.parse(removed)).to.deep.equal({ includes: ['a.json'], services: left })
          if (left.length > 0)
            expect(removed).to.equal(
              JSON.stringify({ includes: ['a.json'], services: left }, undefined, indent),
            )
        }
        expect(removeEntry('gone', { file, text })).to.equal(text)
      }
  })
})
