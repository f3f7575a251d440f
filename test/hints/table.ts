import { inCommands } from './commands.ts'
import { inConfigurations } from './configuration.ts'
import { elsewhere, nothingToDo } from './elsewhere.ts'
import { onEngines } from './engines.ts'
import type { FollowedHint } from './followed.ts'
import { inGit } from './git.ts'
import { heldBack } from './held-back.ts'
import { inRepositories } from './manifests.ts'
import { inPlaces, whileHeld, whileOpen, withControl } from './places.ts'
import { inRegistries } from './registries.ts'
import { inSecrets } from './secrets.ts'
import { inServers } from './servers.ts'
import { inSignatures } from './signatures.ts'
import { onSites } from './sites.ts'
import { overSsh } from './ssh.ts'
import { sitesOverSsh } from './ssh-sites.ts'
import { inWords } from './words.ts'

/** Followed in this process, within milliseconds. */
export const quick: readonly FollowedHint[] = [
  ...inRepositories,
  ...inSecrets,
  ...inConfigurations,
  ...onSites,
  ...heldBack,
  ...onEngines,
  ...inWords,
  ...inPlaces,
  ...whileOpen,
  ...withControl,
]

/** Followed against a git server, a registry, an engine and processes. */
export const real: readonly FollowedHint[] = [
  ...inGit,
  ...inRegistries,
  ...overSsh,
  ...sitesOverSsh,
  ...inSignatures,
  ...inServers,
  ...inCommands,
  ...whileHeld,
]

/** Every hint that a person may be told. */
export const table: readonly FollowedHint[] = [...quick, ...real, ...elsewhere, ...nothingToDo]
