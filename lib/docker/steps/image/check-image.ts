import type { Provenance } from '../../../plan/step/container-place.ts'
import type { StepOf } from '../../../plan/step/step.ts'
import type { Client } from '../../api/client.ts'
import { checkAccount, type Looked, lacking, probeName } from '../../container/files/image-account.ts'
import { lackOfProgram } from '../../container/files/image-program.ts'
import { followed } from '../../container/files/path-stat.ts'
import { probed } from '../../container/files/probe-container.ts'

type CheckImage = StepOf<'check-image'>

/**
 * Checks that an image has the account, the working directory and the program that a container needs (C10, C11): the
 * engine would make a missing directory, and refuse a missing user or program only when the container starts. Fails with
 * `image-lacking`.
 */
export async function checkImage(
  client: Client,
  { of, image, user, directory, program }: CheckImage,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const name = probeName(provenance, image)
  const looked = { name, image, of }
  const look = async () => {
    if (user !== undefined) await checkAccount(client, looked, user, signal)
    if (directory !== undefined) await checkDirectory(client, looked, directory, signal)
    const lack = program && (await lackOfProgram(client, name, program, signal))
    if (lack !== undefined) throw lacking(client, looked, lack)
  }
  await probed(client, { name, image, resource: name }, provenance, look, signal)
}

async function checkDirectory(
  client: Client,
  looked: Looked,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const found = await followed(client, looked.name, directory, signal)
  if (found === undefined) throw lacking(client, looked, `has no working directory ${directory}`)
  if (!found.stat.isDirectory) throw lacking(client, looked, `has no directory at ${directory}, but a file`)
}
