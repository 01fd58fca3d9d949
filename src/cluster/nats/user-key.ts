import { nkeys } from '@nats-io/nats-core'

/** A new user of the servers: the seed proves who it is, the public key is written into their configuration. */
export function newUserKey(): { readonly seed: string; readonly publicKey: string } {
  const pair = nkeys.createUser()
  return { seed: `${new TextDecoder().decode(pair.getSeed())}\n`, publicKey: pair.getPublicKey() }
}
