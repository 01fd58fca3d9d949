import { createRouter, createWebHistory } from 'vue-router'
import { scrollBehavior } from '../shared/focus.ts'
import AccountsScreen from './screens/accounts-screen.vue'

/** Real addresses: the gateway answers an unknown one with the page. */
export const router = createRouter({
  history: createWebHistory(),
  scrollBehavior,
  routes: [
    { path: '/', name: 'accounts', component: AccountsScreen },
    {
      path: '/connection',
      name: 'connection',
      component: () => import('./screens/connection-screen.vue'),
    },
    {
      path: '/account/:id',
      name: 'account',
      component: () => import('./screens/account-screen.vue'),
    },
    {
      path: '/account/:id/earnings',
      name: 'earnings',
      component: () => import('./screens/earnings-screen.vue'),
    },
    {
      path: '/account/:id/stock/:code',
      name: 'stock',
      component: () => import('./screens/stock-screen.vue'),
    },
    { path: '/health', name: 'health', component: () => import('./screens/health-screen.vue') },
    { path: '/:rest(.*)', redirect: '/' },
  ],
})
