window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  layout: 'BaseLayout',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // Otherwise it would send the document to a server of its makers.
  validatorUrl: null,
  requestInterceptor(request) {
    const isOfAdminApi = new URL(request.url, location.href).pathname.startsWith('/api/');
    // What the API asks of a page with a session.
    if (isOfAdminApi) request.headers['x-gateway-csrf'] = '1';
    return request;
  },
});
