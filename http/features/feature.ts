import type { DirectContext } from '../direct/context.ts'
import type { GatewayContext } from '../gateway/context.ts'
import type { Route } from '../message/routes.ts'

/** Where features are mounted: below which addresses, in which envelope, about which account. */
export type Mount = DirectContext | GatewayContext

/** What one file of this folder adds to the interface: the routes that a backend serves of it. */
export type Feature = (on: Mount) => readonly Route[]
