export const loader = () => ({ greeting: 'Hello' });

export const meta = () => [{ title: 'Hello' }];

export default function Hello({ loaderData }: { loaderData: ReturnType<typeof loader> }) {
  return (
    <main>
      <h1>{loaderData.greeting}</h1>
      <p>A page with a loader and nothing else.</p>
    </main>
  );
}
