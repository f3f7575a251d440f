import { posix } from 'node:path'
import type { Document } from '../../document/document.ts'
import { parseJson } from '../../document/json.ts'
import { parseYaml } from '../../document/yaml.ts'
import type { Position, Problem } from '../../errors.ts'
import { isRecord } from '../../object.ts'
import { checkSchema, withoutFaults } from '../../schema.ts'
import type { Deployment } from '../../state/fleet/deployment.ts'
import { documentNameOf } from '../../state/repository/layout.ts'
import { isWithin } from '../../text/within.ts'
import { problemsOfFile } from '../specification.ts'
import { rootOf } from '../spot.ts'
import type { ApplicationDeploymentSpecification } from './deployment.gen.ts'
import { readDeployment } from './read.ts'

/** The content of a file under `deployments/`, or why it cannot be used. */
export type DeploymentFile =
  | {
      readonly state: 'valid'
      readonly file: string
      readonly deployment: Deployment
      readonly applicationAt: Position
      readonly tokens: number
    }
  | {
      readonly state: 'invalid'
      readonly file: string
      readonly problems: readonly [Problem, ...Problem[]]
      /** What it says of its application; absent: nothing that can be told. */
      readonly application?: string
      /** Words and values that were read; absent: reading stopped early. */
      readonly tokens?: number
    }

/** Parses one application deployment specification, and finds all its problems at once. */
export function parseDeployment(file: string, text: string): DeploymentFile {
  const document = documentOf(file, text)
  if (!('value' in document)) return document
  const { deployment, problems } = readWhole(nameOf(file), document)
  const { tokens } = document
  const [first, ...more] = problems
  if (deployment !== undefined && first === undefined)
    return { state: 'valid', file, deployment, applicationAt: document.position('/application'), tokens }
  const incomplete: Problem = {
    code: 'deployment-invalid',
    message: 'does not say enough to be used',
    position: { file },
  }
  return {
    state: 'invalid',
    file,
    problems: [first ?? incomplete, ...more],
    tokens,
    ...applicationIn(document),
  }
}

/** Returns a deployment that cannot be used. */
export function unusableDeployment(
  file: string,
  problems: readonly [Problem, ...Problem[]],
): Extract<DeploymentFile, { state: 'invalid' }> {
  return { state: 'invalid', file, problems }
}

/** If a file cannot be parsed, a line of it may still say which application it is about. */
function documentOf(file: string, text: string): Document | Extract<DeploymentFile, { state: 'invalid' }> {
  try {
    return file.endsWith('.json') ? parseJson(file, text) : parseYaml(file, text)
  } catch (error) {
    const [, application] = applicationLine.exec(text) ?? []
    return {
      ...unusableDeployment(file, problemsOfFile(error, file)),
      ...(application === undefined ? {} : { application }),
    }
  }
}

const name = '[a-zA-Z0-9][a-zA-Z0-9_.-]{0,62}'
const applicationLine = new RegExp(`^[ {]*["']?application["']? ?: ?["']?(${name})`, 'm')
const applicationName = new RegExp(`^${name}$`)

/** What is no name at all is about no application that exists, so the deployment stands for itself. */
function applicationIn({ file, value }: Document): { readonly application?: string } {
  const application = isRecord(value) ? value['application'] : undefined
  if (typeof application !== 'string') return {}
  return { application: applicationName.test(application) ? application : nameOf(file) }
}

function nameOf(file: string): string {
  return documentNameOf(posix.basename(file))
}

function readWhole(
  name: string,
  document: Document,
): { readonly deployment?: Deployment; readonly problems: readonly Problem[] } {
  const broken = checkSchema('deployment', document)
  const problems = [...broken, ...misnamed(name, document)]
  const rest = broken.length === 0 ? { document, without: [] } : withoutFaults('deployment', document)
  if (rest === undefined) return { problems }
  // A problem at a place with something missing in it may only follow from that.
  const note = (problem: Problem, pointer: string) => {
    if (!rest.without.some(one => isWithin(pointer, one) || isWithin(one, pointer))) problems.push(problem)
  }
  const deployment = readDeployment(
    writtenIn(rest.document),
    rootOf(rest.document, note, 'deployment-invalid'),
  )
  return { problems, ...(deployment === undefined ? {} : { deployment }) }
}

/** The schema guarantees the type, which was generated from it. */
function writtenIn({ value }: Document): ApplicationDeploymentSpecification {
  return value as ApplicationDeploymentSpecification
}

function misnamed(file: string, document: Document): readonly Problem[] {
  const name = isRecord(document.value) ? document.value['name'] : undefined
  if (typeof name !== 'string' || name === file) return []
  const message = `/name is "${name}", and the file is named ${file}`
  return [{ code: 'name-mismatch', message, position: document.position('/name') }]
}
