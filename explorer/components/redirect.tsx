import { useEffect } from 'react';
import { useLocation } from 'wouter';

/** Replaces the page by another one. */
export function Redirect({ to }: { readonly to: string }) {
  const [, navigate] = useLocation();
  useEffect(() => navigate(to, { replace: true }), [navigate, to]);
  return null;
}
