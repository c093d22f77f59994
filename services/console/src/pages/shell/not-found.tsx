import { Anchor, Container, Text, Title } from '@mantine/core';
import { Link } from 'react-router';

export function NotFound() {
  return (
    <Container py="xl">
      <Title order={1} size="h3">
        Page not found
      </Title>
      <Text>
        Go to the{' '}
        <Anchor component={Link} to="/playground" inherit>
          Playground
        </Anchor>
        .
      </Text>
    </Container>
  );
}
