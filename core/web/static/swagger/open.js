window.addEventListener("load", function () {
  SwaggerUIBundle({ url: "openapi.json", dom_id: "#swagger", deepLinking: true, validatorUrl: null });
});
