import type { Route } from '../routes.ts'
import type { DirectContext } from './context.ts'
import { gridCommandRoutes, gridReadRoutes } from './grid-sessions.ts'
import { gridTemplateRoutes } from './grid-templates.ts'

/** Everything about grids. */
export const gridRoutes = (context: DirectContext): Route[] => [
  ...gridCommandRoutes(context),
  ...gridReadRoutes(context),
  ...gridTemplateRoutes(context),
]
