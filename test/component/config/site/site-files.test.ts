import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { createSiteReader, readNoFiles } from '../../../../lib/config/site/site-files.ts'
import { checkConfig, loadConfig, refuseWrongSites } from '../../../../lib/config.ts'
import { formatProblem } from '../../../../lib/errors.ts'

const usual = 'repository: {url: /srv}\nsitesDirectory: sites\n'

/** A directory with a tallyman.yaml and the files of sites in the directory `sites` beside it. */
function fleet(files: Readonly<Record<string, string>>, yaml = usual) {
  const root = mkdtempSync(join(tmpdir(), 'tallyman-fleet-'))
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  put('tallyman.yaml', yaml)
  for (const [name, text] of Object.entries(files)) put(`sites/${name}`, text)
  const load = () => loadConfig({ config: join(root, 'tallyman.yaml') }, {})
  return {
    root,
    put,
    load,
    names: () => load().sites.map(({ name }) => name),
    /** Each wrong file, and what is wrong with it, as people read it. */
    wrong: () =>
      load()
        .wrongSites.flatMap(({ problems }) => problems)
        .map(problem => formatProblem(problem).replaceAll(`${root}/`, '')),
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  }
}

describe('the directory of sites', () => {
  it('has a file for each site, which is called as the file is, besides the list', () => {
    const yaml = `${usual}sites: [{name: here}]\nsiteProfiles: {north: {labels: {region: north}}}\n`
    using there = fleet(
      {
        'oslo.yaml': 'endpoint: tcp://oslo:2376\nprofiles: [north]\n',
        'bergen.yml':
          '$schema: https://example.com/s.json\nx-note: [1]\nname: bergen\nendpoint: tcp://bergen:2376\n',
        'moss.json': '{"endpoint": "tcp://moss:2376", "labels": {"size": "s"}, "environments": ["prod"]}',
        'README.md': 'not a site',
        '.oslo.yaml.swp': 'b0VIM',
        'oslo.yaml~': 'an old one',
      },
      yaml,
    )
    const { sites, wrongSites } = there.load()
    expect(wrongSites).to.deep.equal([])
    expect(sites.map(({ labels, ...site }) => ({ ...site, labels: { ...labels } }))).to.deep.equal([
      { name: 'here', labels: { 'system/name': 'here', 'system/type': 'edge' } },
      {
        name: 'bergen',
        endpoint: 'tcp://bergen:2376',
        file: join(there.root, 'sites/bergen.yml'),
        labels: { 'system/name': 'bergen', 'system/type': 'edge' },
      },
      {
        name: 'moss',
        endpoint: 'tcp://moss:2376',
        environments: ['prod'],
        file: join(there.root, 'sites/moss.json'),
        labels: { 'system/name': 'moss', 'system/type': 'edge', size: 's' },
      },
      {
        name: 'oslo',
        endpoint: 'tcp://oslo:2376',
        file: join(there.root, 'sites/oslo.yaml'),
        labels: { 'system/name': 'oslo', 'system/type': 'edge', region: 'north' },
      },
    ])
  })

  it('takes the place of the local site, and may be empty', () => {
    using there = fleet({})
    mkdirSync(join(there.root, 'sites'))
    expect([there.names(), there.wrong()]).to.deep.equal([[], []])
  })

  it('is found beside the configuration, wherever a command is run, and may be anywhere', () => {
    using elsewhere = fleet({ 'oslo.yaml': 'endpoint: tcp://oslo:2376\n' })
    using there = fleet({}, `repository: {url: /srv}\nsitesDirectory: ${elsewhere.root}/sites\n`)
    expect(there.names()).to.deep.equal(['oslo'])
  })

  it('G13 G24 says all at once what is wrong, with file and line, and leaves the right sites alone', () => {
    using there = fleet({
      'a b.yaml': 'endpoint: tcp://ab:2376\n',
      'empty.yaml': '',
      'half.yaml': 'endpoint: "tcp://ha',
      'json.json': '{"endpoint": "tcp://json:2376",}',
      'labels.yaml': 'endpoint: tcp://labels:2376\nlabels:\n  __proto__: x\n  on: true\n',
      'list.yaml': '- endpoint: tcp://list:2376\n',
      'misspelt.yaml': 'endpont: tcp://misspelt:2376\n',
      'named.yaml': 'name: other\nendpoint: tcp://named:2376\n',
      'profile.yaml': 'endpoint: tcp://profile:2376\nprofiles: [south]\n',
      'right.yaml': 'endpoint: tcp://right:2376\n',
      'twice.yaml': 'endpoint: tcp://a:2376\nendpoint: tcp://b:2376\n',
    })
    const form =
      'must be letters, digits, "_", ".", "-" and "/", at most 128 of them, with a letter or digit at both ends'
    expect(there.wrong()).to.deep.equal([
      'sites/a b.yaml:1:1: the name of the file, and so of its site, must be a name of letters, digits, "_", "." and "-" that begins with a letter or digit, not "a b" (config-invalid)',
      'sites/empty.yaml: the file is empty (config-invalid)',
      'sites/half.yaml:1:20: Missing closing "quote (config-invalid)',
      'sites/json.json:1:31: a comma before "}" is not allowed in JSON (config-invalid)',
      `sites/labels.yaml:3:3: /labels/__proto__ ${form} (config-invalid)`,
      'sites/labels.yaml:4:7: /labels/on must be a text, not true; put it in quotes: "true" (config-invalid)',
      'sites/list.yaml: a site is a mapping of keys such as "endpoint:" (config-invalid)',
      'sites/misspelt.yaml:1:1: /endpont is not a known key; did you mean "endpoint"? (config-invalid)',
      'sites/named.yaml:1:7: /name: the site of this file is "named", as the file is called; leave the name out (config-invalid)',
      'sites/profile.yaml:2:12: /profiles/0: there is no profile "south" under siteProfiles (config-invalid)',
      'sites/twice.yaml:2:1: "endpoint" stands twice in one object, first in line 1 (config-invalid)',
    ])
    expect(there.names()).to.deep.equal(['right'])
    expect(there.load().wrongSites.every(({ problems }) => problems.every(({ hint }) => hint))).to.equal(true)
    expect(() => refuseWrongSites(there.load())).to.throw(/empty\.yaml.*\n(.*\n)*.*twice\.yaml/)
  })

  it('G13 says of one file all at once which labels are wrong, in their form or because nobody sets them', () => {
    using there = fleet({
      'lab.yaml':
        'endpoint: tcp://lab:2376\nlabels:\n  system/name: x\n  system/type: lab\n  system/foo: 1\n  n: 3\n',
      'list.yaml': 'endpoint: tcp://list:2376\nlabels: [system/foo]\n',
    })
    const builtIn = 'which nobody sets; only "system/type" may be set (config-invalid)'
    expect(there.wrong()).to.deep.equal([
      'sites/lab.yaml:5:15: /labels/"system/foo" must be a text, not 1; put it in quotes: "1" (config-invalid)',
      'sites/lab.yaml:6:6: /labels/n must be a text, not 3; put it in quotes: "3" (config-invalid)',
      `sites/lab.yaml:3:16: /labels/"system/name": "system/name" is the name of the site, ${builtIn}`,
      `sites/lab.yaml:5:15: /labels/"system/foo": "system/foo" begins with system/, ${builtIn}`,
      'sites/list.yaml:2:9: /labels must be an object, not a list (config-invalid)',
    ])
  })

  it('G24 lists only so many mistakes of one file', () => {
    const labels = Array.from({ length: 300 }, (_, index) => `  system/${index}: x\n`).join('')
    using there = fleet({ 'many.yaml': `endpoint: tcp://many:2376\nlabels:\n${labels}` })
    const wrong = there.wrong()
    expect(wrong).to.have.length(100)
    expect(wrong[0]).to.match(/^sites\/many\.yaml:3:3: \/labels must have /)
    expect(wrong.at(-1)).to.equal('and 202 more problems, which are not listed (config-invalid)')
  })

  it('D19 gives no name and no engine to two files, nor to a file what the list has', () => {
    using there = fleet(
      {
        'Moss.yaml': 'endpoint: tcp://moss-1:2376\n',
        'moss.json': '{"endpoint": "tcp://moss-2:2376"}',
        'here.yaml': 'endpoint: tcp://there:2376\n',
        'east.yaml': 'endpoint: tcp://Same:2376\n',
        'west.yaml': 'endpoint: tcp://same:2376\n',
        'prod.yaml': 'endpoint: tcp://apart:2376\nenvironments: [prod]\n',
        'devel.yaml': 'endpoint: tcp://apart:2376\nenvironments: [devel]\n',
        'socket.yaml': 'endpoint: unix:///run/docker.sock\n',
      },
      `${usual}sites: [{name: Here, endpoint: "unix:///run/docker.sock"}]\n`,
    )
    expect(there.names()).to.deep.equal(['Here', 'devel', 'prod'])
    expect(there.wrong()).to.deep.equal([
      'sites/Moss.yaml: "Moss" is the name of two sites: moss in sites/moss.json (config-invalid)',
      'sites/east.yaml: is the same engine as the site west in sites/west.yaml (config-invalid)',
      'sites/here.yaml: "here" is the name of two sites: Here in sites in the configuration (config-invalid)',
      'sites/moss.json: "moss" is the name of two sites: Moss in sites/Moss.yaml (config-invalid)',
      'sites/socket.yaml: is the same engine as the site Here in sites in the configuration (config-invalid)',
      'sites/west.yaml: is the same engine as the site east in sites/east.yaml (config-invalid)',
    ])
  })

  it('D19 G17 may have one endpoint in two files, of a host and of the Swarm that it manages', () => {
    using there = fleet({
      'machine.yaml': 'endpoint: tcp://one:2375\nkind: host\n',
      'cluster.yaml': 'endpoint: tcp://one:2375\nkind: swarm\n',
    })
    expect(there.wrong()).to.deep.equal([])
    expect(there.names()).to.deep.equal(['cluster', 'machine'])
  })

  it('D19 has the ports of two ingresses on no site that both of their environments run', () => {
    using there = fleet(
      { 'oslo.yaml': 'endpoint: tcp://oslo:2376\n' },
      `${usual}ingress: {environments: {prod: {http: {port: 80}}, devel: {http: {port: 80}}}}\n`,
    )
    expect(there.wrong()).to.have.length(1)
    expect(there.wrong()[0]).to.match(/^sites\/oslo.yaml.*listens on port (80|443) of the site oslo/)
  })

  it('G17 that cannot be read is one problem, and no reason to forget the list', () => {
    using there = fleet({}, `${usual}sites: [{name: here}]\n`)
    expect(there.names()).to.deep.equal(['here'])
    expect(there.wrong()).to.have.length(1)
    expect(there.wrong()[0]).to.match(/^sites: the directory of sites cannot be read: ENOENT/)
  })

  it('G24 reads no file without end, and nothing that is no file', () => {
    using there = fleet({ 'big.yaml': `# ${'x'.repeat(1024 * 1024)}\nendpoint: tcp://a:1\n` })
    mkdirSync(join(there.root, 'sites/dir.yaml'))
    expect(there.wrong()).to.deep.equal([
      'sites/big.yaml: cannot be read: it is larger than 1 MiB (config-invalid)',
      'sites/dir.yaml: cannot be read: it is not a file (config-invalid)',
    ])
  })

  it('G22 is read again by a daemon as it is now, whichever file was changed, added or removed', () => {
    using there = fleet({ 'a.yaml': 'endpoint: tcp://a:1\n', 'b.yaml': 'endpoint: tcp://b:1\n' })
    const read = createSiteReader()
    const endpoints = () =>
      loadConfig({ config: join(there.root, 'tallyman.yaml') }, {}, undefined, { read }).sites.map(
        ({ endpoint }) => endpoint,
      )
    expect(endpoints()).to.deep.equal(['tcp://a:1', 'tcp://b:1'])
    there.put('sites/b.yaml', 'endpoint: tcp://c:1\n')
    expect(endpoints()).to.deep.equal(['tcp://a:1', 'tcp://c:1'])
    there.put('sites/b.yaml', 'endpoint: [')
    there.put('sites/d.yaml', 'endpoint: tcp://d:1\n')
    expect(endpoints()).to.deep.equal(['tcp://a:1', 'tcp://d:1'])
    rmSync(join(there.root, 'sites/a.yaml'))
    there.put('sites/b.yaml', 'endpoint: tcp://b:1\n')
    expect(endpoints()).to.deep.equal(['tcp://b:1', 'tcp://d:1'])
  })

  it('G24 is not read by whoever asks for another part of the configuration', () => {
    using there = fleet({ 'a.yaml': 'endpoint: [' })
    const { sites, wrongSites } = loadConfig({ config: join(there.root, 'tallyman.yaml') }, {}, undefined, {
      read: readNoFiles,
    })
    expect([sites, wrongSites]).to.deep.equal([[], []])
  })

  it('G13 is checked together with the configuration that names it', () => {
    using there = fleet({ 'empty.yaml': '' })
    const problems = checkConfig(join(there.root, 'tallyman.yaml'), `${usual}pol: 1\n`).problems
    expect(problems.map(({ message }) => message)).to.deep.equal([
      '/pol is not a known key; did you mean "poll"?',
    ])
    expect(
      checkConfig(join(there.root, 'tallyman.yaml'), usual).problems.map(({ message }) => message),
    ).to.deep.equal(['the file is empty'])
  })

  it('G13 says whether it is the name of the file which no site can have, or the one in it', () => {
    using there = fleet({ 'a b.yaml': 'endpoint: tcp://a:2376\n', 'c.yaml': 'name: c d\n' })
    const [file = '', name = ''] = there.wrong()
    expect(file).to.match(
      /^sites\/a b\.yaml:1:1: the name of the file, and so of its site, must be a name of .+, not "a b"/,
    )
    expect(name).to.match(/^sites\/c\.yaml:1:7: \/name must be a name of .+, not "c d"/)
  })

  it('G4 G13 refuses an endpoint to which nobody could connect, in a file and in the list, where it is written', () => {
    const ssh = 'ssh: {keyFile: /k, knownHostsFile: /h}\n'
    using there = fleet({
      'a.yaml': `endpoint: ssh://10.0.0.7\n${ssh}`,
      'b.yaml': 'endpoint: ssh://deploy@10.0.0.7\n',
      'c.yaml': 'endpoint: ssh://deploy@10.0.0.8\nssh: {keyFile: /k}\n',
      'd.yaml': 'endpoint: "tcp://"\n',
      'e.yaml': `endpoint: tcp://10.0.0.9:2376\n${ssh}`,
      'f.yaml': 'endpoint: "tcp://host:99999"\n',
      'g.yaml': `kind: swarm\nendpoint: tcp://10.0.0.9:2376\nmanagers: [tcp://10.0.0.10:2376, "ssh://:@"]\n`,
      'h.yaml': 'endpoint: unix:///run/h.sock\n',
    })
    expect(there.names()).to.deep.equal(['h'])
    expect(there.wrong()).to.deep.equal([
      'sites/a.yaml:1:11: /endpoint: "ssh://10.0.0.7" names no user; say who logs in, as in ssh://deploy@host (config-invalid)',
      'sites/b.yaml:1:1: /ssh: is missing: an engine over SSH needs "ssh: {keyFile: …, knownHostsFile: …}" with a private key and the keys of hosts (config-invalid)',
      'sites/c.yaml:2:6: /ssh: needs either "knownHostsFile" or "hostKey", which say what key the host has (config-invalid)',
      'sites/d.yaml:1:11: /endpoint: "tcp://" is not a unix://, tcp:// or ssh:// address (config-invalid)',
      'sites/e.yaml:2:6: /ssh: is only for an endpoint that begins with ssh://user@host (config-invalid)',
      'sites/f.yaml:1:11: /endpoint: "tcp://host:99999" is not a unix://, tcp:// or ssh:// address (config-invalid)',
      'sites/g.yaml:3:34: /managers/1: "ssh://***@" is no valid URL (config-invalid)',
    ])
    const listed = checkConfig(
      'tallyman.yaml',
      'repository: {url: /srv}\nsites:\n  - {name: a, endpoint: "ssh://h"}\n',
    ).problems
    expect(listed.map(formatProblem)).to.deep.equal([
      'tallyman.yaml:3:25: /sites/0/endpoint: "ssh://h" names no user; say who logs in, as in ssh://deploy@host (config-invalid)',
    ])
  })
})
